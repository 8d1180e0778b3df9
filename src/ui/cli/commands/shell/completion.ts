/** `ralph completion`: prints a small script for the shell, which calls `ralph complete` whenever Tab is pressed. */
import { EXIT } from '../../../../core/error.ts'
import type { CommandHandler, CommandInput } from '../../framework/command.ts'
import type { COMPLETION } from '../../command-table/setup-commands.ts'

type Shell = CommandInput<typeof COMPLETION>['args']['shell']

export const run: CommandHandler<typeof COMPLETION> = async (input, io) => {
  io.out(SCRIPTS[input.args.shell])
  return EXIT.done
}

/** Works with bash 3.2, the version on macOS. */
const BASH = String.raw`# Completion of ralph for bash.
_ralph() {
  local cur="${'$'}{COMP_WORDS[COMP_CWORD]}" word line tab=$'\t'
  local asked=()
  for word in "${'$'}{COMP_WORDS[@]:0:COMP_CWORD+1}"; do asked+=("+$word"); done
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o filenames 2>/dev/null
      [ "$cur" = "=" ] && cur=""
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    else
      line="${'$'}{line%%"$tab"*}"
      case "$line" in *=) compopt -o nospace 2>/dev/null ;; esac
      COMPREPLY+=("$line")
    fi
  done < <(ralph complete "${'$'}{asked[@]}" 2>/dev/null)
}
complete -F _ralph ralph
`

const ZSH = String.raw`#compdef ralph
# Completion of ralph for zsh: put this file as _ralph into a folder of your fpath.
_ralph() {
  local word line value about
  local -a asked described
  for word in "${'$'}{(@)words[1,CURRENT]}"; do asked+=("+$word"); done
  for line in "${'$'}{(@f)$(ralph complete "${'$'}{asked[@]}" 2>/dev/null)}"; do
    if [[ -z "$line" ]]; then continue
    elif [[ "$line" == ":files" ]]; then _files
    else
      value="${'$'}{line%%$'\t'*}"
      about="${'$'}{line#*$'\t'}"
      described+=("${'$'}{value//:/\\:}:$about")
    fi
  done
  (( $#described )) && _describe 'ralph' described
}
if [[ "$funcstack[1]" == "_ralph" ]]; then _ralph "$@"; else compdef _ralph ralph; fi
`

const FISH = String.raw`# Completion of ralph for fish.
function __ralph_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (ralph complete +$words 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c ralph -f -a '(__ralph_complete)'
`

const SCRIPTS: Record<Shell, string> = { bash: BASH, zsh: ZSH, fish: FISH }
