import { spawnSync } from 'node:child_process'
import { argv, execPath, platform, stdin } from 'node:process'
import { runChild } from '../child.js'
import type { Environment } from '../environment.js'
import { UsageError } from '../usage-error.js'

/** Set for the program that runs in the namespace. */
const INSIDE = '_SVTRAIN_WITHOUT_NETWORK'

/** Turns the loopback interface on, which is off in a new namespace, and then runs what follows. */
const LOOPBACK_ON = `
for program in 'ip link set lo up' 'ifconfig lo up' 'busybox ip link set lo up'; do
  if $program 2>/dev/null; then exec "$@"; fi
done
echo 'None of the programs ip, ifconfig and busybox could turn on the loopback interface. Install iproute2.' >&2
exit 1
`

interface NetworkArguments {
  readonly network?: boolean | undefined
  readonly 'allow-host-out'?: readonly string[] | undefined
}

const CONTRADICTION =
  '--allow-host-out lets the command call a host, and --no-network lets it call none. Leave one of them out.'

/**
 * Runs a command of this program. With `--no-network`, this program is started again, in a network namespace that has
 * loopback alone: what the command starts reaches nothing else.
 *
 * @returns The exit code.
 * @throws {UsageError} When the system does not allow it, or when hosts are allowed.
 */
export function withNetworkOf(
  { network, 'allow-host-out': allowed }: NetworkArguments,
  environment: Environment,
  run: () => Promise<number>,
): Promise<number> {
  if (network !== false) return run()
  if (allowed) throw new UsageError(CONTRADICTION)
  return environment[INSIDE] === '1' ? run() : runWithoutNetwork(environment)
}

async function runWithoutNetwork(environment: Environment): Promise<number> {
  const flags = namespaceFlags()
  const again = [execPath, ...argv.slice(1)]
  const command = ['unshare', ...flags, '--', 'sh', '-c', LOOPBACK_ON, 'sh', ...again]
  const env = { ...environment, [INSIDE]: '1' }
  const { code, failure } = await runChild(command, { env, interactive: stdin.isTTY })
  if (failure === undefined) return code
  throw new UsageError(`${CANNOT} unshare: ${failure}`)
}

const CANNOT = '--no-network needs a network namespace, and this system does not allow one.'

/** The arguments of `unshare` that this system allows: root needs no namespace of users. */
function namespaceFlags(): string[] {
  if (platform !== 'linux') {
    throw new UsageError(`${CANNOT} Only Linux has them; this is ${platform}.`)
  }
  const tries = [['--net'], ['--user', '--map-current-user', '--keep-caps', '--net']]
  let why = ''
  for (const flags of tries) {
    const { status, stderr, error } = spawnSync('unshare', [...flags, '--', 'true'])
    if (status === 0) return flags
    why = error ? error.message : String(stderr).trim()
  }
  throw new UsageError(`${CANNOT} It says: ${why}`)
}
