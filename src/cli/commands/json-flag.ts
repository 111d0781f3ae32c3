import { toggle } from '../values.js'

export const json = { describe: 'Print JSON, for programs', value: toggle } as const
