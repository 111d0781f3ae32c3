/** How to run tasks side by side. */
interface Pool<T, R> {
  readonly parallel: number
  readonly run: (item: T) => Promise<R>
  /** Called in the order of the items, not in the order in which they end. */
  readonly handle: (item: T, result: R) => void
  /** Whether to start no more. */
  readonly isOver: () => boolean
}

/** Runs a task for each item, some at once. Resolves when all that were started have ended. */
export async function runInOrder<T, R>(
  items: Iterable<T>,
  { parallel, run, handle, isOver }: Pool<T, R>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const ended = new Map<number, { item: T; result: R }>()
  let started = 0
  let handled = 0
  const work = async (): Promise<void> => {
    while (!isOver()) {
      const next = iterator.next()
      if (next.done === true) return
      const place = started++
      const result = await run(next.value)
      ended.set(place, { item: next.value, result })
      for (let each = ended.get(handled); each; each = ended.get(handled)) {
        ended.delete(handled++)
        handle(each.item, each.result)
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
}
