/** The default name of the signature header. */
export const SIGNATURE_HEADER = 'X-Service-Signature'

/** A webhook of which nothing is said but its name. The schema of scenarios has these defaults. */
export const plainWebhook = {
  signature: {
    header: SIGNATURE_HEADER,
    encoding: 'hex' as const,
    prefix: '',
    standard: false,
    timestamps: 'wall' as const,
  },
  timeout: '10s',
  retries: [],
  adversary: [],
}
