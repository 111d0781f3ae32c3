import type { Check } from '../check.js'
import { addresses } from './addresses.js'
import { certificates } from './certificates.js'
import { keys } from './keys.js'
import { machine } from './machine.js'
import { node } from './node.js'
import { nodePackages } from './node-packages.js'
import { ports } from './ports.js'
import { proxies } from './proxies.js'
import { pythonPackages } from './python-packages.js'
import { variables } from './variables.js'

/** All checks of a setup, in the order of the output. */
export const checks: readonly Check[] = [
  node,
  machine,
  ports,
  addresses,
  keys,
  variables,
  proxies,
  certificates,
  nodePackages,
  pythonPackages,
]
