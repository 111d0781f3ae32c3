import type { TargetedKeyboardEvent } from 'preact'

/** A place on the screen. */
export interface Rectangle {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Moves the focus to the nearest link or button in the direction of an arrow key. */
export function moveByArrows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const { key, currentTarget, target } = event
  if (!WAYS[key]) return
  event.preventDefault()
  const others = [...currentTarget.querySelectorAll<HTMLElement>('a, button')]
  const places = others.map((each) => each.getBoundingClientRect())
  const nearest = nearestIn(key, (target as HTMLElement).getBoundingClientRect(), places)
  if (nearest !== undefined) others[nearest]!.focus()
}

/** The index of the place that is nearest in the direction of an arrow key. Undefined if there is none. */
export function nearestIn(
  key: string,
  from: Rectangle,
  places: readonly Rectangle[],
): number | undefined {
  let nearest: { index: number; distance: number } | undefined
  for (const [index, place] of places.entries()) {
    const [along, across] = WAYS[key]!(from, place)
    // What is straight ahead is nearer than what is at the side.
    const distance = along + 4 * across
    if (along >= 0 && !(nearest && nearest.distance <= distance)) nearest = { index, distance }
  }
  return nearest?.index
}

/** How far a place is in a direction, and how far to the side. */
type Way = (from: Rectangle, to: Rectangle) => readonly [along: number, across: number]

const WAYS: Readonly<Record<string, Way>> = {
  ArrowRight: (from, to) => [to.left - from.right, apart(from.top, from.bottom, to.top, to.bottom)],
  ArrowLeft: (from, to) => [from.left - to.right, apart(from.top, from.bottom, to.top, to.bottom)],
  ArrowDown: (from, to) => [to.top - from.bottom, apart(from.left, from.right, to.left, to.right)],
  ArrowUp: (from, to) => [from.top - to.bottom, apart(from.left, from.right, to.left, to.right)],
}

/** The distance between two spans. 0 if they overlap. */
function apart(start: number, end: number, otherStart: number, otherEnd: number): number {
  return Math.max(0, start - otherEnd, otherStart - end)
}
