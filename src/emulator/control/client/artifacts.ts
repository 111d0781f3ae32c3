import type {
  ArtifactCollectionDetails,
  ArtifactDetails,
  ListedArtifact,
} from '../../artifact-details.js'
import type { ArtifactToPut } from '../../artifact-to-put.js'
import { isObject } from '../../../base/text/options.js'
import { joined, type BodyOf, type Call, type QueryOf } from './call.js'
import { partsOf } from '../stored-path.js'

const ARTIFACT = 'GET /artifacts/{entity}/{project}/{artifact}'

/** The methods of a client for artifacts. */
export const artifactsMethods = (call: Call) => {
  const get = async (which: string): Promise<ArtifactDetails> =>
    call(ARTIFACT, { params: partsOf(which, 'artifacts.get') })
  const read = (which: string, path: string): Promise<Uint8Array> =>
    call(`${ARTIFACT}/file`, {
      params: partsOf(which, 'artifacts.download'),
      query: { path },
    }) as Promise<Uint8Array>

  function download(which: string): Promise<Record<string, Uint8Array>>
  function download(which: string, path: string): Promise<Uint8Array>
  async function download(which: string, path?: string): Promise<unknown> {
    if (path !== undefined) return read(which, path)
    const { path: version, files } = await get(which)
    const all: [path: string, content: Uint8Array][] = []
    for (const file of files) all.push([file.path, await read(version, file.path)])
    return Object.fromEntries(all)
  }

  return {
    artifacts: {
      /** Returns versions of artifacts, the newest first. Checkpoints have the type `lora`. */
      list: async (where: QueryOf<'GET /artifacts'> = {}): Promise<ListedArtifact[]> =>
        (await call('GET /artifacts', { query: where })).artifacts,
      /** Returns the names of artifacts with their versions and aliases, the newest first. */
      collections: async (
        where: QueryOf<'GET /artifacts/collections'> = {},
      ): Promise<ArtifactCollectionDetails[]> =>
        (await call('GET /artifacts/collections', { query: where })).collections,
      /**
       * Returns a version of an artifact with its metadata and its files.
       *
       * @param which `entity/project/name:alias`, also without the entity and the project. The alias may be a version. Default: `latest`.
       */
      get,
      /**
       * Returns the content of one file of an artifact, or the contents of all of its files by path.
       *
       * @example
       * const rows = await client.artifacts.download('local-team/demo/rows:best', 'train.jsonl')
       */
      download,
      /**
       * Puts an artifact into a project, as a program does that logs it.
       *
       * @example
       * const files = { 'train.jsonl': '{"messages": []}\n' }
       * const { url } = await client.artifacts.put({ name: 'rows', files })
       */
      async put(artifact: ArtifactToPut): Promise<ArtifactDetails> {
        const { files } = artifact
        // The emulator refuses what is neither.
        const sent = isObject(files) ? sentFiles(files) : files
        const body = joined('artifacts.put', artifact, { files: sent })
        return call('POST /artifacts', { body: body as BodyOf<'POST /artifacts'> })
      },
    },
  }
}

function sentFiles(files: Readonly<Record<string, unknown>>): object {
  const sent = Object.entries(files).map(([path, content]) => {
    return [path, content instanceof Uint8Array ? { base64: base64Of(content) } : content]
  })
  return Object.fromEntries(sent) as object
}

/** The one of `base/text/bytes.ts` would be a file of its own in the package, which each start of the command reads. */
function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
