import type { Host } from '../service/contract/exchange.js'

/** Where the two hosts are: their addresses without a path. */
export type Origins = Readonly<Record<Host, string>>

/** The addresses of an emulator that listens on no port. Nobody can register a name under `.test`. */
export const IN_PROCESS: Origins = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
}
