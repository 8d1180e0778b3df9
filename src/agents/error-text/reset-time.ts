/**
 * Parses when a limit resets from the vendor's text: "resets 9pm", "resets Dec 1 at 9am (PST)", "try again in 1 day 3 hours",
 * "Retry-After: 30", `retryDelay: "34s"`, an ISO time, or seconds since 1970. Pure: the current instant and the local zone are
 * parameters.
 */
import type { AgentEvent } from '../../core/calls/agent-io.ts'
import type { Instant, Millis } from '../../core/ids.ts'
import { DAY, SECOND } from '../../core/text/value-kind.ts'
import { parseLeadingDuration } from './parse-duration.ts'
import { RESET_TOLERANCE, parseLeadingMoment } from './parse-moment.ts'

export interface LocalNow {
  at: Instant
  /** Minutes east of UTC. */
  zone: number
}

/** The longest limits are monthly, and a month may have just begun. A time further away was not a time. */
const FURTHEST = 40 * DAY

/** Adds the reset time found in the text. A plausible time from the driver stays. */
export function addResetTime(event: AgentEvent, here: LocalNow): AgentEvent {
  if (event.type !== 'limited') return event
  const { resetsAt: told, ...rest } = event
  const resetsAt = (told === undefined ? null : toldInstant(told, here.at)) ?? parseResetTime(event.message, here)
  return resetsAt === null ? rest : { ...rest, resetsAt }
}

/** A vendor's own field may be in the past when it is read: then the limit is over. Text is not trusted that far. */
function toldInstant(instant: Instant, at: Instant): Instant | null {
  return Math.abs(instant - at) <= FURTHEST ? Math.round(instant) : null
}

export function parseResetTime(said: string, here: LocalNow): Instant | null {
  const text = said.replace(OWN_RETRY, '')
  for (const read of [epoch, field, anchoredDuration, looseDuration, moment]) {
    for (const instant of read(text, here)) {
      const found = plausible(instant, here.at)
      if (found !== null) return found
    }
  }
  return null
}

/** The wait before the vendor program's own retry does not concern us, unless it takes hours. */
const OWN_RETRY = /\bretrying\b(?![^;\n]*\b\d+ ?[dh])[^;\n]*/gi

/** The wait in the text, if it gives a duration and not a moment. */
export function parseAnnouncedWait(said: string): Millis | null {
  const text = said.replace(OWN_RETRY, '')
  for (const read of [field, anchoredDuration, looseDuration]) {
    for (const wait of read(text, { at: 0, zone: 0 })) if (wait <= FURTHEST) return wait
  }
  return null
}

function plausible(instant: Instant, at: Instant): Instant | null {
  return instant > at - RESET_TOLERANCE && instant !== at && instant <= at + FURTHEST ? Math.round(instant) : null
}

/** `usage limit reached|1765432100`, in seconds or milliseconds; not part of an id. */
function* epoch(text: string): Generator<Instant> {
  for (const [digits] of text.matchAll(/(?<![\w.-])[12]\d{9}(?:\d{3})?(?![\w-]|\.\d)/g))
    yield digits.length === 10 ? Number(digits) * SECOND : Number(digits)
}

/** `Retry-After: 30`, `retry-after-ms: 1200`, `retryDelay: "34074.8ms"`, `resets_in_seconds=90`, `retry_delay { seconds: 34 }`. */
const FIELD =
  /\b(?<name>(?:x-)?(?:ratelimit-)?(?:retry[-_ ]?(?:after|delay|in)|resets?[-_ ]?(?:in|after|ms|seconds|requests|tokens))[-_ ]?(?<unit>ms|millis\w*|seconds|secs?|s)?)["']?\s*(?:[:=]\s*|\{\s*"?(?<inner>seconds|millis)"?:\s*)?["']?(?<value>\d+(?:\.\d+)?[^,;}\n]{0,40}|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT)/gi

function* field(text: string, here: LocalNow): Generator<Instant> {
  for (const { groups } of text.matchAll(FIELD)) {
    const value = groups?.['value'] ?? ''
    const date = /^[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
    if (!Number.isNaN(date)) yield date
    const told = parseLeadingDuration(value)
    if (told !== null) yield here.at + told
    else if (/^\d+(?:\.\d+)?(?![\d:/-]|\s*[ap]\.?m|(?:st|nd|rd|th)\b)/i.test(value)) {
      const unit = `${groups?.['name'] ?? ''} ${groups?.['inner'] ?? ''}`
      yield here.at + Number.parseFloat(value) * (/ms\b|millis/i.test(unit) ? 1 : SECOND)
    }
  }
}

/** Words that precede a reset time. */
const ANCHOR =
  /\b(?:resets?|resetting|try(?:ing)?(?: \w+)? again|retry|again|available|renews?|renewed|refresh(?:es|ed)?|replenish(?:es|ed)?|resumes?|restored|regain access|back|until|(?<!retry )wait(?! time)|expires?|lifted|continuing automatically)\b/gi
const FILLER =
  /^(?:[\s:·∙•,(–—~"'|-]|\b(?:at|on|by|for|after|again|is|are|was|the|date|time|will|be|in|until|available|access|about|around|approximately|roughly|another|at least|less than|start(?:ing)?|beginning|your|its|quota|limits?|usage|reset|before|and|retry|trying|of|from|when|monthly|billing|cycle|period|ends)\b)+/i

function* afterAnchors(text: string): Generator<string> {
  for (const found of text.matchAll(ANCHOR)) {
    const rest = text.slice(found.index + found[0].length)
    yield rest.slice(FILLER.exec(rest)?.[0].length ?? 0)
  }
}

/** The results of `parse` for the texts that it accepts. */
function* parsed(texts: Iterable<string>, parse: (text: string) => number | null): Generator<number> {
  for (const text of texts) {
    const told = parse(text)
    if (told !== null) yield told
  }
}

function* durations(texts: Iterable<string>, { at }: LocalNow): Generator<Instant> {
  for (const wait of parsed(texts, parseLeadingDuration)) yield at + wait
}

function anchoredDuration(text: string, here: LocalNow): Generator<Instant> {
  return durations(afterAnchors(text), here)
}

/** Without a preceding word: "in 2 hours 5 minutes". */
function looseDuration(text: string, here: LocalNow): Generator<Instant> {
  const found = text.matchAll(/\b(?:in|after)\s+(?:about |around |another )?/gi)
  return durations(
    [...found].map(({ index, 0: words }) => text.slice(index + words.length)),
    here,
  )
}

/** A full date is enough on its own; a time of day needs a preceding word. */
function moment(text: string, here: LocalNow): Generator<Instant> {
  const dates = [...text.matchAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d/gi)].map(({ index }) => text.slice(index))
  return parsed([...afterAnchors(text), ...dates], (words) => parseLeadingMoment(words, here))
}
