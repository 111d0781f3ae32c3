/** What is wrong with a signature, or with what it was made of. The `text` of the diagnosis explains it. */
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

/** Why a signature is not valid, as far as it could be found out. */
export interface Diagnosis {
  /** Everything that is wrong. With all of it corrected, the signature would be valid. */
  readonly codes: readonly DiagnosisCode[]
  /** The same in words, with how to correct it. It never contains a secret. */
  readonly text: string
}

/** A part of a diagnosis. */
export interface Finding {
  readonly codes: readonly DiagnosisCode[]
  readonly faults: readonly string[]
}
