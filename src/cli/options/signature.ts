import { SIGNATURE_HEADER } from '../../webhooks/signature/signature.js'
import { anyText, headerName, oneOf } from '../values.js'
import { option } from './declare.js'

/** How a signature is written. */
export const signatureForm = {
  encoding: option('encoding', oneOf(['hex', 'base64']), {
    describe: 'Encoding of the signature',
    defaultDescription: 'hex',
  }),
  prefix: option('prefix', anyText('a prefix'), {
    describe: 'Text in front of the signature, such as sha256=',
    defaultDescription: 'none',
  }),
} as const

export const header = option('header', headerName, {
  describe: 'Header that holds the signature',
  defaultDescription: SIGNATURE_HEADER,
})
