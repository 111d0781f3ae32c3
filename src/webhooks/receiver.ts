// What a receiver of your own needs: `svtrain-emulator/webhooks`. Runs in Node, browsers and at the edge.

export { OptionsError } from '../text/options.js'
export { diagnose } from './diagnose.js'
export type { Diagnosis, DiagnosisCode } from './diagnosis.js'
export type { Secrets } from './secrets.js'
export { sign, SIGNATURE_HEADER, type SignatureForm } from './signature.js'
export {
  verify,
  type Clues,
  type Delivered,
  type DeliveredHeaders,
  type SignatureRules,
  type Verdict,
  type Verification,
} from './verify.js'
