/**
 * Paths to fields of JSON, and changes of these fields. A path is a list of names with dots between them, such as
 * `choices.*.logprobs`. `*` is every field of a map, or every item of a list. A number is an item of a list: 0 is
 * the first, -1 the last.
 */

/** Says what is wrong with a path. Undefined if it is valid. */
export function findPathProblem(path: string): string | undefined {
  if (path.split('.').every((part) => part.trim() === part && part !== '')) return undefined
  return `expected names with dots between them, such as choices.*.logprobs, got "${path}"`
}

/** Removes the fields at a path. Does nothing if there are none. Returns whether it removed any. */
export function removeAt(json: unknown, path: string): boolean {
  let removed = false
  for (const { parent, key } of placesAt(json, path).reverse()) {
    if (!Object.hasOwn(parent, key)) continue
    removed = true
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  }
  return removed
}

/** Sets the fields at a path, wherever the map or the list that contains them exists. */
export function setAt(json: unknown, path: string, value: unknown): boolean {
  const places = placesAt(json, path)
  for (const { parent, key } of places) {
    Object.defineProperty(parent, key, {
      value: structuredClone(value),
      configurable: true,
      enumerable: true,
      writable: true,
    })
  }
  return places.length > 0
}

interface Place {
  parent: Record<string, unknown>
  key: string
}

function placesAt(json: unknown, path: string): Place[] {
  const names = path.split('.')
  const last = names.pop()!
  let parents: unknown[] = [json]
  for (const name of names) {
    parents = parents.flatMap((parent) => {
      const keys = keysIn(parent, name).filter((key) => Object.hasOwn(parent as object, key))
      return keys.map((key) => (parent as Place['parent'])[key])
    })
  }
  return parents.flatMap((parent) => {
    return keysIn(parent, last).map((key) => ({ parent: parent as Place['parent'], key }))
  })
}

/** The keys that a name of a path stands for. A list has only the items that exist. */
function keysIn(parent: unknown, name: string): string[] {
  if (typeof parent !== 'object' || parent === null) return []
  if (name === '*') return Object.keys(parent)
  if (!Array.isArray(parent)) return [name]
  const index = /^-?\d+$/.test(name) ? Number(name) : Number.NaN
  const place = index < 0 ? parent.length + index : index
  return place >= 0 && place < parent.length ? [String(place)] : []
}
