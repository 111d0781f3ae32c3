import { networkInterfaces } from 'node:os'

/** Whether this machine accepts connections at `::1`. */
export const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
