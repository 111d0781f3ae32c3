import { CERTIFICATE_VARIABLES, rootsIn } from '../../../emulator/intercept/roots.js'
import { diagnosis, type Check, type Problem } from '../check.js'

export const certificates: Check = {
  name: 'certificates',
  look({ environment }) {
    const set = CERTIFICATE_VARIABLES.filter((name) => environment[name])
    const empty = set.flatMap((name) => {
      const paths = environment[name]!.split(':').filter(Boolean)
      return paths.filter((path) => rootsIn(path).length === 0).map((path) => ({ name, path }))
    })
    const unchecked = environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    const fine =
      set.length === 0
        ? 'No variable names certificates.'
        : `${set.join(', ')}: there are certificates.`
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
