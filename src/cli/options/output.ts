import { flag } from './declare.js'

export const json = flag({ describe: 'Print JSON' })
