import { DEFAULT_TYPE } from '../../artifact-to-put.js'
import { DEFAULT_PROJECT } from '../../models.js'
import { anything, boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import { controlBody, controlQuery } from './body-and-query.js'
import { ofEntity, ofProject, newestOnly, storedContent } from './stored-content.js'

const artifactFields = {
  path: required(string, { description: 'entity/project/name:v0, as clients name it.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'The name of its collection.' }),
  version: required(string, { description: 'Its version, such as v0.' }),
  type: required(string, { description: 'Its type, such as dataset or lora.' }),
  aliases: required(list(string), { description: 'Its aliases.' }),
  tags: required(list(string), { description: 'Its tags.' }),
  size: required(integer, { description: 'The size of all of its files, in bytes.' }),
  file_count: required(integer, { description: 'How many files it has.' }),
  created_at: required(string, { description: 'When it was created.' }),
  job: required(nullable(string), {
    description: 'The id of the job that made it, if it is a checkpoint of a job.',
  }),
  run: required(nullable(string), { description: 'The run that logged it.' }),
}
export const artifacts = model('Artifacts', {
  artifacts: list(model('ListedArtifact', artifactFields)),
})
export const artifactsQuery = controlQuery({
  entity: ofEntity,
  project: ofProject,
  name: optional(string, { description: 'The name of a collection.' }),
  type: optional(string, { description: 'The type, such as dataset or lora.' }),
  limit: newestOnly,
})
export const artifactPath = parameters('path', {
  entity: string,
  project: string,
  artifact: string,
})
export const artifact = model('ArtifactDetails', {
  ...artifactFields,
  url: required(string, {
    description: 'What training_data_url takes, and the name of an adapter in chats.',
  }),
  user: required(string, { description: 'The user that created it.' }),
  description: required(string, { description: 'Its description.' }),
  digest: required(string, { description: 'The digest of all of its files.' }),
  metadata: required(dictionary(anything), { description: 'Its metadata.' }),
  files: required(list(storedContent), { description: 'Its files.' }),
  used_by: required(list(string), { description: 'The runs that used it.' }),
  links: required(list(string), {
    description: 'Its names in the collections that it is linked to.',
  }),
})
export const collections = model('ArtifactCollections', {
  collections: list(
    model('ArtifactCollection', {
      path: required(string, { description: 'entity/project/name.' }),
      entity: required(string, { description: 'The entity that owns it.' }),
      project: required(string, { description: 'Its project.' }),
      name: required(string, { description: 'Its name.' }),
      type: required(string, { description: 'The type of its artifacts.' }),
      linked: required(boolean, {
        description: 'Whether its versions are links to artifacts of other collections.',
      }),
      versions: required(list(string), { description: 'Its versions, the newest first.' }),
      aliases: required(dictionary(string), { description: 'The version of each alias.' }),
      tags: required(list(string), { description: 'Its tags.' }),
      description: required(string, { description: 'Its description.' }),
      created_at: required(string, { description: 'When it was created.' }),
    }),
  ),
})
export const artifactRequest = controlBody('ArtifactRequest', {
  name: required(string, { description: 'The name of its collection.' }),
  files: required(
    dictionary(union([string, controlBody('Base64Content', { base64: required(string) })])),
    { description: 'The contents of its files by path: a text, or bytes as {"base64": "…"}.' },
  ),
  project: optional(string, { description: `The project. By default, ${DEFAULT_PROJECT}.` }),
  entity: optional(string, { description: 'The entity (team or user) that owns it.' }),
  type: optional(string, { description: `Its type. By default, ${DEFAULT_TYPE}.` }),
  description: optional(string, { description: 'Its description.' }),
  metadata: optional(dictionary(anything), { description: 'Its metadata.' }),
  aliases: optional(list(string), { description: 'Its aliases besides latest.' }),
  tags: optional(list(string), { description: 'Its tags.' }),
})

/** A version of an artifact in a list. */
export type ListedArtifact = Infer<typeof artifacts>['artifacts'][number]
/** A version of an artifact with its files. */
export type ArtifactDetails = Infer<typeof artifact>
