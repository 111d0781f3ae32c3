import { counted, firstOf } from '../../../base/text/counted.js'
import { textLinesOf } from '../../../base/text/text-lines.js'
import type { Artifact } from '../../platform/artifact.js'
import { LATEST } from '../../platform/collection.js'
import type { Platform } from '../../platform/platform.js'
import { PlatformError } from '../../platform/platform-error.js'
import { artifactIn } from '../served-models.js'
import { Unavailable } from './training-data.js'

/** The most names in an error. */
const MOST_NAMES = 10

/**
 * Opens the lines of the training data in an artifact.
 *
 * @param url Such as `artifact:///team/project/rows:v0`. Without a version, it is the latest one.
 */
export function openArtifactRows(
  { projects, artifacts }: Platform,
  url: string,
): AsyncIterable<string> | Unavailable {
  const parts = artifactIn(url)
  if (!parts)
    return new Unavailable(`${url} does not name an artifact as entity/project/name:version`)
  const { entity, project: projectName, name, suffix = LATEST } = parts
  const project = projects.named(entity, projectName)
  const collection = project?.collections.get(name)
  const version = collection?.find(suffix)
  if (!version) {
    // The newest first.
    const versions = collection && [...collection.members].map(({ index }) => `v${index}`).reverse()
    const known = versions
      ? `the artifact has ${listed(versions, 'versions')}`
      : `the project has ${listed([...(project?.collections.keys() ?? [])], 'artifacts')}`
    return new Unavailable(
      `there is no artifact ${entity}/${projectName}/${name}:${suffix}; ${known}`,
    )
  }
  try {
    return openRows(artifacts, version.artifact)
  } catch (error) {
    if (error instanceof PlatformError) return new Unavailable(error.message)
    throw error
  }
}

function listed(names: readonly string[], what: string): string {
  return firstOf(names, MOST_NAMES) || `no ${what}`
}

function openRows(
  artifacts: Platform['artifacts'],
  artifact: Artifact,
): AsyncIterable<string> | Unavailable {
  const paths = [...artifacts.contents.of(artifact).keys()]
  const rows = paths.filter((path) => path.endsWith('.jsonl'))
  const [path] = rows.length > 0 ? rows : paths
  if (path === undefined) return new Unavailable('the artifact has no files')
  if (rows.length !== 1 && paths.length !== 1) {
    return new Unavailable(
      `the artifact has ${counted(rows.length, '.jsonl file')}, and must have one: ${firstOf(paths, MOST_NAMES)}`,
    )
  }
  const content = artifacts.contents.open(artifact, path)
  if (!content)
    return new Unavailable(`the content of ${path} is elsewhere: the artifact refers to it`)
  return textLinesOf(content.chunks)
}
