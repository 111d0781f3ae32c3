import { anyText } from '../values.js'
import { requiredArgument } from './declare.js'

export const snapshotArgument = requiredArgument('file', anyText('a file, or - for stdin'), {
  describe: 'The snapshot; - is stdin',
  canBeDash: true,
})
