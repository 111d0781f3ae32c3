import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isInRange } from '../../../base/text/version-range.js'
import { supportedPackages } from '../../../base/text/version.js'
import { diagnosis, type Check, type Problem } from '../check.js'

const THIS = 'svtrain-emulator'

export const nodePackages: Check = {
  name: 'node packages',
  look({ folder, version }) {
    const found = Object.keys({ [THIS]: '', ...supportedPackages }).flatMap((name) => {
      const installed = installedIn(folder, name)
      return installed === undefined ? [] : [{ name, installed }]
    })
    const fine =
      found.length === 0
        ? `${folder} has no package that could be too old.`
        : found.map(({ name, installed }) => `${name} ${installed}`).join(', ')
    const problems = found.map(({ name, installed }) =>
      name === THIS ? ownProblem(installed, version) : problemOf(name, installed),
    )
    return diagnosis(fine, problems)
  },
}

function ownProblem(installed: string, version: string): Problem | undefined {
  if (installed === version) return undefined
  return {
    what: `This is ${THIS} ${version}, and the project has ${installed}.`,
    effect: 'The command and the tests of the project behave differently.',
    repair: `Start the one of the project with npx, or install this one: npm install --save-dev ${THIS}@${version}`,
  }
}

function problemOf(name: string, installed: string): Problem | undefined {
  const range = supportedPackages[name]!
  if (isInRange(installed, range)) return undefined
  return {
    what: `${name} ${installed} is not supported.`,
    effect: `Handlers and matchers for ${name} may not work.`,
    repair: `npm install --save-dev '${name}@${range}'`,
  }
}

/** The version of a package that programs in a folder import. */
function installedIn(folder: string, name: string): string | undefined {
  for (const place of createRequire(join(folder, 'package.json')).resolve.paths(name) ?? []) {
    try {
      const text = readFileSync(join(place, name, 'package.json'), 'utf8')
      return (JSON.parse(text) as { version: string }).version
    } catch {
      // It is not in this folder, but may be in one above.
    }
  }
  return undefined
}
