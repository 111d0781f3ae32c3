import { SIGNATURE_HEADER } from '../../webhooks/signature/signature.js'
import { anyText, headerName, oneOf, signaturePrefix, webhookSecret } from '../values.js'
import { listOption, option } from './declare.js'

export const secret = option(webhookSecret, {
  describe: 'Secret that signs the deliveries',
})

export const secrets = listOption(webhookSecret, {
  describe: 'Secret that may have signed the deliveries',
})

export const accessToken = option(anyText('an access token'), {
  describe: 'Access token, sent as Authorization: Bearer …',
})

/** How a signature is written. */
export const signatureForm = {
  encoding: option(oneOf(['hex', 'base64']), {
    describe: 'Encoding of the signature',
    defaultDescription: 'hex',
  }),
  prefix: option(signaturePrefix, {
    describe: 'Text in front of the signature, such as sha256=',
    defaultDescription: 'none',
  }),
} as const

export const header = option(headerName, {
  describe: 'Header that holds the signature',
  defaultDescription: SIGNATURE_HEADER,
})
