export type DiagnosisCode =
  | 'wrong-header'
  | 'wrong-encoding'
  | 'wrong-prefix'
  | 'upper-case'
  | 'surrounding-space'
  | 'truncated'
  | 'other-secret'
  | 'mangled-secret'
  | 'token-as-secret'
  | 'altered-body'
  | 'not-signed'
  | 'plain-secret'
  | 'wrong-algorithm'
  | 'no-signature'
  | 'no-secret'
  | 'unexplained'

/** Why a signature is not valid, as far as it can be found out. */
export interface Diagnosis {
  /** Everything that is wrong with it; with all of it put right it would be valid. */
  readonly codes: readonly DiagnosisCode[]
  /** The same in words, and what to do. No secret is ever part of it. */
  readonly text: string
}

/** One side of the matter, while it is being looked into. */
export interface Finding {
  readonly codes: readonly DiagnosisCode[]
  readonly faults: readonly string[]
}
