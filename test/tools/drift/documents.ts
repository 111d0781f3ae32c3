import { operationsIn } from '../../../src/service/api/table.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../../src/service/contract/versions.js'
import { describeApi } from '../../../src/service/api/openapi.js'
import { compareDocuments } from '../../../src/tools/drift/compare-documents.js'
import type { Difference } from '../../../src/tools/drift/difference.js'

/** A document that a test changes. */
export type Editable = Record<string, ReturnType<typeof JSON.parse>>

/** The document of the emulator, in a contract. */
export function ownDocument(
  api: 'training' | 'inference' = 'training',
  contract: ContractVersion = NEWEST_CONTRACT,
): Editable {
  return structuredClone(describeApi(operationsIn(contract), api))
}

/** A document with one operation, `POST /jobs`, that takes and returns JSON. */
export function small(parts: { request?: unknown; response?: unknown; more?: Editable }): Editable {
  const content = (schema: unknown): Editable => ({ 'application/json': { schema } })
  return {
    openapi: '3.1.0',
    info: { title: 'Small', version: '1' },
    paths: {
      '/jobs': {
        post: {
          ...(parts.request !== undefined && {
            requestBody: { required: true, content: content(parts.request) },
          }),
          responses: { '200': { description: '', content: content(parts.response ?? {}) } },
          ...parts.more,
        },
      },
    },
  }
}

/** What differs, without words for people. */
export function differencesOf(theirs: Editable, ours: Editable): Difference[] {
  const { differences } = compareDocuments({ theirs, ours, label: 'openapi.json' })
  return differences.filter(({ severity }) => severity !== 'cosmetic')
}

/** Each difference as `breaking type-changed POST /jobs → request → name`. */
export function linesOf(theirs: Editable, ours: Editable): string[] {
  return differencesOf(theirs, ours).map(({ severity, id }) => `${severity} ${id}`)
}
