/** What the reference says about the public TypeScript API. `read.ts` makes it, `render.ts` writes it. */

/** One entry point of the package, such as `svtrain-emulator/msw`. */
export interface Entry {
  /** `svtrain-emulator/msw`. */
  readonly name: string
  /** What it is for. */
  readonly summary: string
  readonly exports: readonly Export[]
  /** Types that the exports name and that the package does not export. */
  readonly unexported: readonly Export[]
}

/** What is described, with its declaration. */
interface Documented {
  /** `settle`, or `jobs.create` for the method of an object. */
  readonly name: string
  readonly comment: Comment
  /** The declaration, without what is between its braces. Not yet broken into lines. */
  readonly text: string
  /** The names of the parameters of a function. */
  readonly parameters: readonly string[]
  /** The types that the declaration names. */
  readonly mentions: readonly Mention[]
}

/** One exported name. */
export interface Export extends Documented {
  /** Identifies what is exported, whatever its name is. */
  readonly id: number
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'constant'
  readonly members: readonly Member[]
  /** The line comment above it and those after it. Empty: there is none. */
  readonly group: string
}

/** A type that a declaration names: its name in the text, and its id. */
export type Mention = readonly [name: string, id: number]

/** A property or a method. */
export interface Member extends Documented {
  readonly kind: 'property' | 'method'
}

/** A TSDoc comment. */
export interface Comment {
  readonly summary: string
  /** The meaning of parameters, by name. */
  readonly params: ReadonlyMap<string, string>
  readonly returns: string
  readonly throws: readonly { readonly type: string; readonly when: string }[]
  /** Code without a fence. */
  readonly examples: readonly string[]
  /** What to use instead. */
  readonly deprecated: string | undefined
}
