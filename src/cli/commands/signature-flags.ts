import { SIGNATURE_HEADER } from '../../signature/signature.js'
import type { Flag } from '../flags.js'
import { anyText, headerName, oneOf } from '../values.js'

export const secret = {
  describe: 'The secret that deliveries are signed with',
  value: anyText('a secret'),
} as const satisfies Flag

export const secrets = {
  describe: 'A secret that deliveries may be signed with',
  value: anyText('a secret'),
  list: true,
} as const satisfies Flag

export const token = {
  describe: 'The access token, sent as Authorization: Bearer …',
  value: anyText('an access token'),
} as const satisfies Flag

/** How a signature is written. */
export const form = {
  encoding: {
    describe: 'How the signature is written: hex, base64',
    value: oneOf(['hex', 'base64']),
    defaultText: 'hex',
  },
  prefix: {
    describe: 'What stands before the signature, such as sha256=',
    value: anyText('a prefix'),
    defaultText: 'nothing',
  },
} as const satisfies Record<string, Flag>

export const header = {
  describe: 'The header that holds the signature',
  value: headerName,
  defaultText: SIGNATURE_HEADER,
} as const satisfies Flag
