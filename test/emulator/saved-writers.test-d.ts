/** A writer of a saved part that leaves out a field does not compile. Such a field is optional in the record. */
import type { SavedPart } from '../../src/service/engine/saved/saved-part.js'
import { whole } from '../../src/service/engine/saved/complete.js'

interface State {
  status: string
  region?: string | undefined
}

interface SavedThing {
  kind: 'thing'
  key: string
  region?: string | undefined
  state: State
  places: readonly { at: number; region?: string | undefined }[]
}

/** What the writer of a thing makes. */
type Made = ReturnType<SavedPart<SavedThing, State, object>['content']>

const state: State = { status: 'queued' }
const thing = { state: whole(state), places: [] }
const { status, ...withoutStatus } = state
const { region, ...withoutRegion } = state

export const complete: Made[] = [
  { ...thing, region: undefined, places: [{ at: 1, region: 'north' }] },
  { ...thing, region, state: { status, region } },
  { ...thing, region, state: whole({ ...withoutRegion, region }) },
]

export const incomplete: Made[] = [
  // @ts-expect-error A field of the record is left out.
  thing,
  // @ts-expect-error It is there only if it has a value.
  { ...thing, ...(region !== undefined && { region }) },
  // @ts-expect-error A field of an object in the record is left out.
  { ...thing, region, state: { status } },
  // @ts-expect-error A field of an object in a list is left out.
  { ...thing, region, places: [{ at: 1 }] },
  // @ts-expect-error What the owner has may lack the field.
  { ...thing, region, state },
  // @ts-expect-error It is not all that the owner has.
  { ...thing, region, state: whole(withoutRegion) },
  // @ts-expect-error Nor is an object that was made here.
  { ...thing, region, state: whole({ status }) },
  // @ts-expect-error A field that is not optional is left out.
  { ...thing, region, state: whole(withoutStatus) },
  // @ts-expect-error No record has such a field.
  { ...thing, region, regoin: region },
]
