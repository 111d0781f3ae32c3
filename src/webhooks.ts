/**
 * Signs and verifies webhooks, for a receiver of your own. It runs in Node, in browsers and at the edge.
 *
 * @packageDocumentation
 */

export { EmulatorError } from './text/emulator-error.js'
export { OptionsError } from './text/options.js'
export { diagnose } from './signature/diagnose.js'
export type { Diagnosis, DiagnosisCode } from './signature/diagnosis.js'
export type { Secrets } from './signature/secrets.js'
export { sign, SIGNATURE_HEADER, type SignatureForm } from './signature/signature.js'
export {
  verify,
  type Clues,
  type Delivered,
  type DeliveredHeaders,
  type SignatureRules,
  type Verdict,
  type Verification,
} from './signature/verify.js'
