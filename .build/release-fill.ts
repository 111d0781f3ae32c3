/** Writes who publishes the packages into all files that say it. */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { fillPublisher, readPublisher } from './release/publisher.js'

const HELP = `npm run release:fill -- --repository <owner>/svtrain-emulator --image node:24-slim=sha256:<digest>

Writes the repository and the digests of images into all files that name them, in place of the
placeholders. It can be run again, with other values. Without options, it prints what they are.

  --repository <owner>/svtrain-emulator   the repository on GitHub
  --image <name>:<tag>=<digest>           the digest of an image; repeat it for each`

try {
  const { values } = parseArgs({
    options: {
      repository: { type: 'string' },
      image: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  })
  process.stdout.write(`${values.help ? HELP : fill(values.repository, values.image ?? [])}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${HELP}\n`)
  process.exitCode = 2
}

function fill(repository: string | undefined, images: readonly string[]): string {
  if (repository === undefined && images.length === 0) {
    return JSON.stringify(readPublisher(), null, 2)
  }
  const changed = fillPublisher({
    ...(repository !== undefined && { repository }),
    images: Object.fromEntries(
      images.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
    ),
  })
  return changed.length === 0 ? 'Nothing changed.' : `Changed: ${changed.join(', ')}`
}
