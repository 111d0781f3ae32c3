/**
 * Signs and verifies webhooks, for a receiver of your own. It runs in Node, in browsers and at the edge.
 *
 * @packageDocumentation
 */

import './base/text/web-globals.js'
export { EmulatorError } from './base/text/emulator-error.js'
export { OptionsError } from './base/text/options.js'
export { diagnose } from './webhooks/signature/diagnose.js'
export type { Diagnosis, DiagnosisCode } from './webhooks/signature/diagnosis.js'
export type { Secrets } from './webhooks/signature/secrets.js'
export { sign, SIGNATURE_HEADER, type SignatureForm } from './webhooks/signature/signature.js'
export {
  verify,
  type Clues,
  type Delivered,
  type DeliveredHeaders,
  type SignatureRules,
  type Verdict,
  type Verification,
} from './webhooks/signature/verify.js'
