/** The host that the client of the bench names. */
export const HOSTNAME = 'api.inference.test'

/** What `intercept-server.ts` sends: the ports of both servers, and the certificates that their clients trust. */
export interface InterceptAddresses {
  proxy: { port: number; authority: string }
  https: { port: number; authority: string }
}
