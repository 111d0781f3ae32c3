/**
 * The library of Standard Webhooks. It is CommonJS, and a bundle has its named exports only through a
 * static import. Import this module dynamically to load the library when it is needed.
 */
export { Webhook } from 'standardwebhooks'
