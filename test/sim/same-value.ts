/** Whether two values are written as the same JSON, whatever the order of their fields. Most of what is compared is the very same object. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, i) => isSameValue(one, b[i]))
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  for (const field in left) if (!isSameValue(left[field], right[field])) return false
  for (const field in right) if (right[field] !== undefined && left[field] === undefined) return false
  return true
}
