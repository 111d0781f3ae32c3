/**
 * Has `console.log`, `JSON.stringify` and the differences of failing tests show an object by its facts: its state is
 * private. Call it in the constructor. Comparisons and lists do not see what it adds.
 *
 * @param kind - The name of its class, which the built package does not keep.
 */
export function showAs(object: object, kind: string, facts: () => object): void {
  // Test runners compare copies, on which getters of private state fail. Jest copies these functions too, and Vitest
  // copies nothing that has a tag.
  const added = {
    toJSON: facts,
    [Symbol.for('nodejs.util.inspect.custom')]: facts,
    [Symbol.toStringTag]: kind,
  }
  for (const key of Reflect.ownKeys(added) as (keyof typeof added)[]) {
    Object.defineProperty(object, key, { value: added[key], configurable: true, writable: true })
  }
}
