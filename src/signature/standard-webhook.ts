/**
 * The library of Standard Webhooks. It is CommonJS: bundled, it has named exports only for a static
 * import, so this module is what others load when they need it.
 */
export { Webhook } from 'standardwebhooks'
