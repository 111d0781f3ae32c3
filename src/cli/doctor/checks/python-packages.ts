import { CONFLICTS, OLDEST_CLIENTS } from '../../../base/text/vendor/client-versions.js'
import { compareVersions } from '../../../base/text/version-range.js'
import { diagnosis, type Check, type Problem } from '../check.js'

const THIS = 'svtrain-emulator'

const NAMES = [
  ...new Set([THIS, ...Object.keys(OLDEST_CLIENTS), ...CONFLICTS.map(({ other }) => other)]),
]

export const pythonPackages: Check = {
  name: 'python packages',
  async look({ pythonPackages: read, version }) {
    const found = await read(NAMES)
    if (!found) return diagnosis('There is no Python on the PATH.', [])
    const list = Object.entries(found).map(([name, installed]) => `${name} ${installed}`)
    const { [THIS]: own = version } = found
    return diagnosis(list.join(', ') || 'Python has no client that we know.', [
      own === version
        ? undefined
        : {
            what: `This is ${THIS} ${version}, and Python has ${own}.`,
            effect: 'Tests in Python start another emulator than this command.',
            repair: `pip install ${THIS}==${version}`,
          },
      ...Object.entries(OLDEST_CLIENTS).map(([name, oldest]) => tooOld(found[name], name, oldest)),
      conflictIn(found),
    ])
  },
}

function tooOld(installed: string | undefined, name: string, oldest: string): Problem | undefined {
  if (installed === undefined || compareVersions(installed, oldest) >= 0) return undefined
  return {
    what: `${name} ${installed} is older than all versions that our tests run.`,
    effect: 'It may send what the emulator does not know.',
    repair: `pip install '${name}>=${oldest}'`,
  }
}

/** The first one counts: it has the narrowest versions. */
function conflictIn(found: Readonly<Record<string, string>>): Problem | undefined {
  for (const { client, before, other, from, effect, install } of CONFLICTS) {
    const { [client]: ours, [other]: theirs } = found
    if (ours === undefined || theirs === undefined) continue
    if (compareVersions(ours, before) >= 0 || compareVersions(theirs, from) < 0) continue
    return {
      what: `${client} ${ours} does not run with ${other} ${theirs}.`,
      effect,
      repair: `pip install ${install}, or a newer ${client}`,
    }
  }
  return undefined
}
