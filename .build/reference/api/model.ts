/** What the reference says about the public TypeScript API. `read.ts` makes it, `render.ts` writes it. */

/** One entry point of the package, such as `svtrain-emulator/msw`. */
export interface Entry {
  /** `svtrain-emulator/msw`. */
  readonly name: string
  /** What it is for. */
  readonly summary: string
  readonly groups: readonly Group[]
  /** Types that the exports name and that the package does not export. */
  readonly unexported: readonly Export[]
}

/** Exports that belong together. */
export interface Group {
  /** The line comment above them. Empty for an entry without groups. */
  readonly title: string
  readonly exports: readonly Export[]
}

/** What is described, with its declaration. */
interface Documented {
  /** `settle`, or `jobs.create` for the method of an object. */
  readonly name: string
  /** Identifies what is described, whatever its name is. */
  readonly id: string
  readonly comment: Comment
  /** The declaration without the bodies of functions; the type of a property. */
  readonly signatures: readonly string[]
  readonly parameters: readonly Parameter[]
  /** The type of what a function returns. */
  readonly result?: string
  readonly mentions: Mentions
}

/** One exported name. */
export interface Export extends Documented {
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'constant'
  readonly members: readonly Member[]
}

/** The types that a signature names: what identifies each of them, by the name in the text. */
export type Mentions = ReadonlyMap<string, string>

/** A property or a method. */
export interface Member extends Documented {
  readonly kind: 'property' | 'method'
  readonly isOptional: boolean
}

/** A parameter of a function or a method. */
export interface Parameter {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
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
