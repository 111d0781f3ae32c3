import { certificatePaths, rootsIn } from '../../../emulator/intercept/roots.js'
import { diagnosis, type Check, type Problem } from '../check.js'

export const certificates: Check = {
  name: 'certificates',
  look({ environment }) {
    const named = certificatePaths(environment)
    const set = new Set(named.map(({ name }) => name))
    const empty = named.filter(({ path }) => rootsIn(path).length === 0)
    const unchecked = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    const fine =
      set.size === 0
        ? 'No variable names certificates.'
        : `${[...set].join(', ')}: there are certificates.`
    return diagnosis(fine, [
      ...empty.map(({ name, path }): Problem => ({
        what: `${name} names ${path}, where no certificate is.`,
        effect: 'Clients refuse each TLS connection, also that of --intercept, or ignore the file.',
        repair: `Correct the path, or: unset ${name}`,
      })),
      unchecked
        ? {
            what: 'NODE_TLS_REJECT_UNAUTHORIZED is 0.',
            effect:
              'Node accepts any certificate, so a test with --intercept passes although the real call would be read by others.',
            repair: 'unset NODE_TLS_REJECT_UNAUTHORIZED. --intercept needs it in no case.',
          }
        : undefined,
    ])
  },
}
