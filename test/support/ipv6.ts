import { networkInterfaces } from 'node:os'

/** Whether this machine can be called at `::1`. */
export const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
