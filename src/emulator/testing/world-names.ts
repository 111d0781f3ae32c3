/** Names the world of an API key: the first that is created has the number 1. */
export function worldNameOf(number: number): string {
  return `world-${number}`
}

const WORLD_NAME = /^world-(\d+)$/

/** Whether a text is the name of a world, also of one that is not there. */
export function isWorldName(text: string): boolean {
  return WORLD_NAME.test(text)
}

/** Compares the names of worlds: they are in the order of their creation. The world without a name comes first. */
export function byCreation(one: string | null, other: string | null): number {
  return numberIn(one) - numberIn(other)
}

function numberIn(name: string | null): number {
  return Number(WORLD_NAME.exec(name ?? '')?.[1] ?? 0)
}
