/**
 * Who publishes the packages, and from which images the emulator is built. publisher.json is the one place; the files
 * below repeat it, because npm, PyPI, Docker and GitHub read only their own files.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../stamp.js'
import { checked, skipped, type Check, type Problem } from './check.js'

export interface Publisher {
  /** The repository on GitHub: `owner/svtrain-emulator`. */
  readonly repository: string
  /** The digest of each image, `sha256:…`, by its name and tag. Empty as long as nobody has looked it up. */
  readonly images: Readonly<Record<string, string>>
}

/** The owner as long as nobody has said who it is. GitHub allows no account with this name in capitals only. */
const NOBODY = 'OWNER'

const FILE = '.build/release/publisher.json'

/** The files that name the repository or an image. */
const FILES = [
  'package.json',
  'python/pyproject.toml',
  '.github/Dockerfile',
  '.github/workflows/gate.yml',
  'docs/how-to/ci.md',
] as const

/** Returns what publisher.json says. */
export function readPublisher(folder = root): Publisher {
  return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Publisher
}

/**
 * Writes another publisher into publisher.json and into all files that name one.
 *
 * @returns The files that changed.
 * @throws {Error} If the repository or a digest has another form, or an image is not known. Nothing is written then.
 */
export function fillPublisher(changes: Partial<Publisher>, folder = root): string[] {
  const before = readPublisher(folder)
  const { repository = before.repository } = changes
  if (!/^[\w.-]+\/svtrain-emulator$/.test(repository)) {
    throw new Error(`"${repository}" is not a repository. Write it as owner/svtrain-emulator.`)
  }
  for (const [name, digest] of Object.entries(changes.images ?? {})) {
    if (!(name in before.images)) {
      const known = Object.keys(before.images).join(', ')
      throw new Error(`No file names the image "${name}". Known images: ${known}`)
    }
    if (!/^sha256:[\da-f]{64}$/.test(digest)) {
      throw new Error(`"${digest}" is not a digest. Write it as sha256: with 64 hex digits.`)
    }
  }
  const after = { repository, images: { ...before.images, ...changes.images } }
  const changed: string[] = []
  for (const path of FILES) {
    const text = readFileSync(join(folder, path), 'utf8')
    const filled = Object.entries(after.images).reduce(
      (each, [name, digest]) =>
        each.replaceAll(imageOf(name, before.images[name]!), imageOf(name, digest)),
      text.replaceAll(before.repository, repository),
    )
    if (filled === text) continue
    writeFileSync(join(folder, path), filled)
    changed.push(path)
  }
  writeFileSync(join(folder, FILE), `${JSON.stringify(after, null, 2)}\n`)
  return changed
}

/** Returns an image as files name it: with its digest, if that is known. */
function imageOf(name: string, digest: string): string {
  return digest === '' ? name : `${name}@${digest}`
}

/** Checks that a publisher is named. Before a release, that is not asked. */
export function checkPublisher(
  { repository, images }: Publisher,
  { allowUnreleased }: { allowUnreleased: boolean },
): Check {
  const problems: Problem[] = []
  if (repository.startsWith(`${NOBODY}/`)) {
    problems.push({
      problem: `The repository is "${repository}", which is only a placeholder.`,
      todo: 'Name yours: npm run release:fill -- --repository <owner>/svtrain-emulator',
    })
  }
  for (const [name] of Object.entries(images).filter(([, digest]) => digest === '')) {
    problems.push({
      problem: `The image ${name} has no digest, so each build can get another one.`,
      todo: `Look it up (docker buildx imagetools inspect ${name}), and write it: npm run release:fill -- --image ${name}=sha256:<its digest>`,
    })
  }
  if (allowUnreleased && problems.length > 0) {
    return skipped('publisher', 'placeholders, which a release refuses')
  }
  return checked('publisher', repository, problems)
}
