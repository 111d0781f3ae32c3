import { SIGNATURE_HEADER } from '../../webhooks/signature/signature.js'
import { anyText, headerName, oneOf } from '../values.js'
import { listOption, option } from './declare.js'

export const secret = option('secret', anyText('a secret'), {
  describe: 'Secret that signs the deliveries',
})

export const secrets = listOption('secret', anyText('a secret'), {
  describe: 'Secret that may have signed the deliveries',
})

export const accessToken = option('token', anyText('an access token'), {
  describe: 'Access token, sent as Authorization: Bearer …',
})

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
