import { command } from '../command.js'
import { json } from '../options/output.js'

export const doctor = command({
  name: 'doctor',
  describe: 'Say what is wrong with the setup, and how to repair it',
  examples: [['doctor', 'ports, variables, keys, proxies, certificates, versions']],
  exits: '1 if something is wrong',
  options: { json },
})
