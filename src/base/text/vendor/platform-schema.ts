/** Types whose lists have pages of the usual form. */
const PAGED = [
  'ArtifactAlias',
  'ArtifactCollection',
  'ArtifactCollectionMembership',
  'ArtifactType',
  'File',
  'Integration',
  'Project',
  'Run',
  'Trigger',
] as const

/** The types of the pages of a list: the page itself, and an item in it. */
function pageOf(type: string): string {
  return `${connectionOf(type, `${type}Edge`)}

  type ${type}Edge {
    cursor: String!
    node: ${type}
  }
`
}

function connectionOf(name: string, edge: string): string {
  return `type ${name}Connection {
    edges: [${edge}!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }`
}

/** What both kinds of collections have. */
const COLLECTION_FIELDS = `
    id: ID!
    name: String!
    description: String
    createdAt: DateTime!
    updatedAt: DateTime
    state: String!
    project: Project
    defaultArtifactType: ArtifactType!
    tags(after: String, first: Int): TagConnection!
    aliases(after: String, first: Int): ArtifactAliasConnection!
    artifactMembership(aliasName: String!): ArtifactCollectionMembership
    artifacts(
      after: String
      first: Int
      order: String
      filters: JSONString
    ): VersionedArtifactConnection!
`

/**
 * The schema of runs and artifacts, as GraphQL. Each field is one that a client asks for. The comment of a type or of a
 * group of fields says which version of the SDK for Python asks: `0.31` was seen on the wire or in its queries,
 * `public` is its class `Api`. Each mutation answers with the id that its caller has for it, too.
 */
export const PLATFORM_SCHEMA = /* GraphQL */ `
  scalar DateTime
  scalar Duration
  scalar Int64
  # Any JSON value.
  scalar JSON
  # A JSON value as text.
  scalar JSONString

  type Query {
    # Who the key belongs to. 0.19 and later, before everything else
    viewer: User!
    # What the server can. 0.19 and later
    serverInfo: ServerInfo!
    # Null: there is none that the key may see. 0.19 and later
    project(name: String, entityName: String): Project
    # The older name of a project. 0.19 and later, to resume a run
    model(name: String, entityName: String): Project
    # public: Api.projects()
    models(entityName: String, after: String, first: Int): ProjectConnection!
    # 0.31: links, and a field of telemetry
    entity(name: String): Entity
    # 0.31: registries
    organization(name: String!): Organization
    # 0.19 and later
    artifact(id: ID!): Artifact
    # public: ArtifactCollection.aliases
    artifactCollection(id: ID!): ArtifactCollection
    # 0.19 and later: an artifact that a program names before it exists
    clientIDMapping(clientID: ID!): ClientIDMapping
  }

  type Mutation {
    # Opens, changes and resumes a run. 0.19 and later
    upsertBucket(input: UpsertBucketInput!): UpsertBucketPayload!
    # public: Api.create_project(), Api.create_registry()
    upsertModel(input: UpsertModelInput!): UpsertModelPayload!
    # public: Run.delete()
    deleteRun(input: DeleteRunInput!): SuccessPayload!
    # public: Run.update_state()
    updateRunState(input: UpdateRunStateInput!): SuccessPayload!
    # public: Run.stop()
    stopRun(input: StopRunInput!): SuccessPayload!
    # 0.19 and later
    createRunFiles(input: CreateRunFilesInput!): CreateRunFilesPayload!
    # 0.31
    markRunFilesUploaded(input: MarkRunFilesUploadedInput!): SuccessPayload!
    # public: File.delete()
    deleteFiles(input: DeleteFilesInput!): SuccessPayload!
    # 0.19 and later: run.alert(). It is accepted and dropped.
    notifyScriptableRunAlert(input: NotifyScriptableRunAlertInput!): SuccessPayload!
    # 0.19
    createArtifactType(input: CreateArtifactTypeInput!): CreateArtifactTypePayload!
    # 0.19 and later
    createArtifact(input: CreateArtifactInput!): CreateArtifactPayload!
    createArtifactManifest(input: CreateArtifactManifestInput!): CreateArtifactManifestPayload!
    updateArtifactManifest(input: UpdateArtifactManifestInput!): UpdateArtifactManifestPayload!
    createArtifactFiles(input: CreateArtifactFilesInput!): CreateArtifactFilesPayload!
    commitArtifact(input: CommitArtifactInput!): CommitArtifactPayload!
    useArtifact(input: UseArtifactInput!): UseArtifactPayload!
    updateArtifact(input: UpdateArtifactInput!): UpdateArtifactPayload!
    linkArtifact(input: LinkArtifactInput!): LinkArtifactPayload!
    # public: Artifact.aliases, Artifact.save(), Artifact.unlink(), Artifact.delete()
    addAliases(input: AddAliasesInput!): SuccessPayload!
    deleteAliases(input: DeleteAliasesInput!): SuccessPayload!
    unlinkArtifact(input: UnlinkArtifactInput!): UnlinkArtifactPayload!
    deleteArtifact(input: DeleteArtifactInput!): DeleteArtifactPayload!
    # public: ArtifactCollection.save(), ArtifactCollection.delete()
    updateArtifactSequence(input: UpdateArtifactSequenceInput!): CollectionPayload!
    updateArtifactPortfolio(input: UpdateArtifactPortfolioInput!): CollectionPayload!
    moveArtifactSequence(input: MoveArtifactSequenceInput!): CollectionPayload!
    deleteArtifactSequence(input: DeleteArtifactSequenceInput!): CollectionPayload!
    deleteArtifactPortfolio(input: DeleteArtifactPortfolioInput!): CollectionPayload!
    createArtifactCollectionTagAssignments(
      input: CreateArtifactCollectionTagAssignmentsInput!
    ): CollectionTagsPayload!
    deleteArtifactCollectionTagAssignments(
      input: DeleteArtifactCollectionTagAssignmentsInput!
    ): SuccessPayload!
    # public: Api.create_automation(), Api.update_automation(), Api.delete_automation() of 0.22 and later
    createFilterTrigger(input: CreateFilterTriggerInput!): CreateFilterTriggerPayload
    updateFilterTrigger(input: UpdateFilterTriggerInput!): UpdateFilterTriggerPayload
    deleteTrigger(input: DeleteTriggerInput!): DeleteTriggerPayload
    # 0.22 and later have the query, but no method that sends it.
    createGenericWebhookIntegration(
      input: CreateGenericWebhookIntegrationInput!
    ): CreateGenericWebhookIntegrationPayload
  }

  type PageInfo {
    endCursor: String
    hasNextPage: Boolean!
  }

  ${PAGED.map(pageOf).join('\n')}

  # Who calls

  # Viewer, GetViewer, GetDefaultEntity
  type User {
    id: ID!
    name: String!
    username: String!
    email: String!
    admin: Boolean!
    # A JSON object as text.
    flags: JSONString
    entity: String!
    deletedAt: DateTime
    apiKeys: ApiKeyConnection!
    teams: EntityConnection!
    # 0.31: links
    organizations: [Organization!]!
    # public: Api.automations() without an entity
    projects(after: String, first: Int): ProjectConnection!
  }

  type ApiKey {
    id: ID!
    name: String!
    description: String
  }

  type ApiKeyConnection {
    edges: [ApiKeyEdge!]!
  }

  type ApiKeyEdge {
    node: ApiKey
  }

  type EntityConnection {
    edges: [EntityEdge!]!
  }

  type EntityEdge {
    node: Entity
  }

  type Entity {
    id: ID!
    name: String!
    entityType: String!
    isTeam: Boolean!
    available: Boolean!
    organization: Organization
    # Null: it is a team.
    user: User
    # public: Api.team()
    photoUrl: String
    readOnly: Boolean!
    readOnlyAdmin: Boolean!
    privateOnly: Boolean!
    storageBytes: Int64!
    codeSavingEnabled: Boolean!
    defaultAccess: String
    isPaid: Boolean!
    members: [Member!]!
    # public: Api.integrations(), Api.webhook_integrations(), Api.slack_integrations() of 0.22 and later
    integrations(after: String, first: Int): IntegrationConnection!
    # public: Api.automations() of 0.31
    triggers(after: String, first: Int, order: String, filters: JSONString): TriggerConnection!
    project(name: String): Project
    projects(filters: JSONString, after: String, first: Int, order: String): ProjectConnection!
    # Registries: FetchRegistries, RegistryCollections, RegistryVersions of 0.31
    artifactCollections(
      projectFilters: JSONString
      filters: JSONString
      collectionTypes: [ArtifactCollectionType!]
      after: String
      first: Int
      order: String
    ): ArtifactCollectionConnection!
    artifactMemberships(
      projectFilters: JSONString
      collectionFilters: JSONString
      filters: JSONString
      after: String
      first: Int
      order: String
    ): ArtifactCollectionMembershipConnection!
    # 0.31, before an artifact is created. Always false: digests are MD5.
    xxhashDigestsEnabled: Boolean!
  }

  type Organization {
    id: ID!
    name: String!
    orgEntity: Entity
    # 0.31 has the query, but no method that sends it.
    triggers(after: String, first: Int, order: String, filters: JSONString): TriggerConnection!
    # 0.31, when a run opens
    coreWeaveOrganizationId: String
    # 0.31, when a run opens, and in its own tests of automations
    featureFlags(rampIDType: RampIDType!): [RampFlag!]!
    advancedRegistryFeatures: AdvancedRegistryFeatures
  }

  enum RampIDType {
    OrgName
    UserName
  }

  type RampFlag {
    rampKey: String!
    isEnabled: Boolean!
  }

  type AdvancedRegistryFeatures {
    advancedSearch: Boolean!
  }

  type ServerInfo {
    features: [ServerFeature!]!
    # 0.19 and later
    cliVersionInfo: JSON
    latestLocalVersionInfo: LatestLocalVersionInfo
  }

  type ServerFeature {
    name: String!
    isEnabled: Boolean!
  }

  type LatestLocalVersionInfo {
    outOfDate: Boolean!
    latestVersionString: String!
    versionOnThisInstanceString: String!
  }

  type ClientIDMapping {
    serverID: ID!
  }

  # Projects and runs

  type Project {
    id: ID!
    internalId: ID!
    name: String!
    entityName: String!
    entity: Entity!
    user: User
    description: String
    createdAt: DateTime!
    updatedAt: DateTime
    access: String!
    views: JSON
    isBenchmark: Boolean!
    readOnly: Boolean!
    allowAllArtifactTypesInRegistry: Boolean!
    # public: Api.automations() of 0.22 and later
    triggers: [Trigger!]!
    # Null: there is none.
    run(name: String!): Run
    # RunResumeStatus of 0.19 and later
    bucket(name: String!, missingOk: Boolean): Run
    # public: Api.runs()
    runCount(filters: JSONString): Int!
    runs(filters: JSONString, after: String, first: Int, order: String): RunConnection!
    # ArtifactType of 0.19 and later: a name with an alias, such as rows:latest. 0.22 tells whether to track the use.
    artifact(name: String!, enableTracking: Boolean): Artifact
    # ArtifactMembershipByName of 0.31
    artifactCollectionMembership(name: String!): ArtifactCollectionMembership
    artifactCollection(name: String!): ArtifactCollection
    artifactCollections(
      after: String
      first: Int
      filters: JSONString
      order: String
    ): ArtifactCollectionConnection!
    artifactType(name: String!): ArtifactType
    artifactTypes(after: String, first: Int, includeAll: Boolean): ArtifactTypeConnection!
  }

  type Run {
    id: ID!
    # What clients call the id of the run.
    name: String!
    displayName: String!
    description: String
    notes: String
    tags: [String!]
    group: String
    groupName: String
    jobType: String
    commit: String
    host: String
    state: String!
    sweepName: String
    stopped: Boolean!
    readOnly: Boolean!
    createdAt: DateTime!
    updatedAt: DateTime!
    heartbeatAt: DateTime
    user: User
    project: Project!
    projectId: Int!
    # JSON objects as text.
    config: JSONString
    summaryMetrics: JSONString
    systemMetrics: JSONString
    # The part of the config that the SDK writes itself. RunResumeStatus of 0.19 and later
    wandbConfig(keys: [String!]): JSONString
    historyLineCount: Int
    eventsLineCount: Int
    logLineCount: Int
    # The last lines: a list of lines, as text.
    historyTail: JSONString
    eventsTail: JSONString
    historyKeys: JSON
    # Lines of the history, as the client sent them. maxStep is the step after the last one.
    history(samples: Int, minStep: Int64, maxStep: Int64): [String!]!
    events(samples: Int): [String!]!
    # One list of rows for each spec.
    sampledHistory(specs: [JSONString!]!): [JSON!]!
    # public: Run.console_logs() of 0.29 and later
    logLines(
      first: Int
      after: String
      last: Int
      useImprovedPagination: Boolean
    ): LogLineConnection!
    # RunParquetHistory of 0.31. There are no such files: the client reads the history in its place.
    parquetHistory(liveKeys: [String!]): ParquetHistory!
    fileCount: Int!
    files(
      names: [String]
      after: String
      first: Int
      pattern: String
      upload: Boolean
    ): FileConnection!
    # public: Run.logged_artifacts(), Run.used_artifacts()
    outputArtifacts(after: String, first: Int): ArtifactConnection!
    inputArtifacts(after: String, first: Int): InputArtifactConnection!
  }

  type LogLineConnection {
    edges: [LogLineEdge!]!
    pageInfo: PageInfo!
  }

  type LogLineEdge {
    node: LogLine!
  }

  # A line that the program printed.
  type LogLine {
    number: Int!
    timestamp: DateTime
    level: String
    label: String
    line: String!
  }

  type ParquetHistory {
    parquetUrls: [String!]!
    liveData: [JSON!]!
  }

  type File {
    id: ID!
    name: String!
    displayName: String!
    url(upload: Boolean): String
    directUrl: String
    # Null: the server has the content already.
    uploadUrl: String
    uploadHeaders: [String!]!
    # Null: send the file at once. Uploads in parts are not emulated.
    uploadMultipartUrls: UploadMultipartUrls
    storagePath: String
    sizeBytes: Int64!
    mimetype: String
    updatedAt: DateTime
    digest: String
    md5: String
    artifact: Artifact
  }

  type UploadMultipartUrls {
    uploadID: ID!
    uploadUrlParts: [UploadUrlPart!]!
  }

  type UploadUrlPart {
    partNumber: Int64!
    uploadUrl: String!
  }

  # Artifacts

  enum ArtifactState {
    PENDING
    COMMITTED
    DELETED
  }

  # There is one: xxhashDigestsEnabled says so.
  enum ArtifactDigestAlgorithm {
    MANIFEST_MD5
  }

  enum ArtifactManifestType {
    FULL
    PATCH
    INCREMENTAL
  }

  enum ArtifactCollectionType {
    SEQUENCE
    PORTFOLIO
  }

  enum ArtifactStorageLayout {
    V2
  }

  enum AlertSeverity {
    INFO
    WARN
    ERROR
  }

  # The whole artifact fragment of 0.31, and what logs and reads artifacts in 0.19 and later
  type Artifact {
    id: ID!
    artifactSequence: ArtifactSequence!
    # Null: it is not committed.
    versionIndex: Int
    artifactType: ArtifactType!
    description: String
    # A JSON object as text.
    metadata: JSONString
    # -1: that of its collection
    ttlDurationSeconds: Int64!
    ttlIsInherited: Boolean!
    tags: [Tag!]!
    historyStep: Int64
    state: ArtifactState!
    size: Int64!
    digest: String!
    digestAlgorithm: ArtifactDigestAlgorithm!
    commitHash: String
    fileCount: Int64!
    createdAt: DateTime!
    updatedAt: DateTime
    aliases: [ArtifactAlias!]!
    createdBy: ArtifactCreator
    usedBy: RunConnection!
    # Null: it is not committed.
    currentManifest: ArtifactManifest
    files(names: [String!], after: String, first: Int): FileConnection!
    # 0.31: download in the core of the SDK
    filesByManifestEntries(
      storageLayout: String!
      manifestVersion: String!
      entries: [ArtifactManifestEntryInput!]
      storageRegion: String
      after: String
      first: Int
    ): FileConnection!
    artifactMemberships(after: String, first: Int): ArtifactCollectionMembershipConnection!
  }

  union ArtifactCreator = Run | User

  ${connectionOf('Artifact', 'ArtifactEdge')}

  # 0.22 names this type.
  ${connectionOf('InputArtifact', 'ArtifactEdge')}

  type ArtifactEdge {
    cursor: String!
    # The name of the version, such as v3. ProjectArtifacts of 0.31
    version: String!
    node: Artifact
  }

  type ArtifactAlias {
    id: ID!
    alias: String!
    artifactCollection: ArtifactCollection
    # 0.19 and 0.22
    artifactCollectionName: String!
  }

  type Tag {
    id: ID!
    name: String!
    # 0.19: tags of collections. There are no categories.
    tagCategoryName: String
  }

  type TagConnection {
    edges: [TagEdge!]!
  }

  type TagEdge {
    node: Tag!
  }

  type ArtifactManifest {
    id: ID!
    digest: String!
    type: ArtifactManifestType!
    file: File!
  }

  type ArtifactType {
    id: ID!
    name: String!
    description: String
    createdAt: DateTime!
    # public: Artifact.files() of 0.19 to 0.26
    artifact(name: String!): Artifact
    artifactCollection(name: String!): ArtifactCollection
    # 0.19: whether a collection has versions of its own. Null: it has links.
    artifactSequence(name: String!): ArtifactSequence
    artifactCollections(
      after: String
      first: Int
      filters: JSONString
      order: String
    ): ArtifactCollectionConnection!
  }

  # The name of artifacts. A sequence has versions of its own, a portfolio links to those of others.
  interface ArtifactCollection {
    ${COLLECTION_FIELDS}
  }

  type ArtifactSequence implements ArtifactCollection {
    ${COLLECTION_FIELDS}
    # CreateArtifact of 0.19 and later: the newest version that is committed
    latestArtifact: Artifact
    # 0.31
    digestAlgorithm: ArtifactDigestAlgorithm
  }

  type ArtifactPortfolio implements ArtifactCollection {
    ${COLLECTION_FIELDS}
  }

  # 0.19 and 0.22 name this type.
  ${connectionOf('VersionedArtifact', 'ArtifactEdge')}

  # An artifact as a version of a collection.
  type ArtifactCollectionMembership {
    id: ID!
    versionIndex: Int
    createdAt: DateTime!
    aliases: [ArtifactAlias!]!
    artifactCollection: ArtifactCollection
    artifact: Artifact
    files(names: [String!], after: String, first: Int): FileConnection!
  }

  # Input and answers of mutations

  type SuccessPayload {
    success: Boolean!
  }

  type UnlinkArtifactPayload {
    # 0.19
    artifactID: ID!
    success: Boolean!
  }

  input UpsertBucketInput {
    # The id of a run that exists.
    id: String
    # The name of a run that exists, or of a new one.
    name: String
    modelName: String
    entityName: String
    groupName: String
    description: String
    displayName: String
    notes: String
    commit: String
    config: JSONString
    host: String
    debug: Boolean
    jobProgram: String
    jobRepo: String
    jobType: String
    state: String
    sweep: String
    tags: [String!]
    summaryMetrics: JSONString
    clientMutationId: String
  }

  # 0.19 and 0.22 ask whether this type is there, and cannot sync without it.
  type ServerSettings {
    serverMessages: [ServerMessage!]!
  }

  type ServerMessage {
    utfText: String
    plainText: String
    htmlText: String
    messageType: String
    messageLevel: Int
  }

  type UpsertBucketPayload {
    serverSettings: ServerSettings!
    bucket: Run!
    inserted: Boolean!
  }

  input UpsertModelInput {
    id: String
    name: String
    entityName: String
    description: String
    access: String
    views: JSONString
    framework: String
    repo: String
    allowAllArtifactTypesInRegistry: Boolean
    artifactTypes: [ArtifactTypeInput!]
    clientMutationId: String
  }

  input ArtifactTypeInput {
    name: String!
  }

  type UpsertModelPayload {
    model: Project
    project: Project
    inserted: Boolean!
  }

  input DeleteRunInput {
    id: ID!
    deleteArtifacts: Boolean
    clientMutationId: String
  }

  input UpdateRunStateInput {
    id: ID!
    state: String!
    clientMutationId: String
  }

  input StopRunInput {
    id: ID!
    clientMutationId: String
  }

  input CreateRunFilesInput {
    entityName: String!
    projectName: String!
    runName: String!
    files: [String!]!
    clientMutationId: String
  }

  type CreateRunFilesPayload {
    runID: ID!
    uploadHeaders: [String!]!
    files: [File!]!
  }

  input MarkRunFilesUploadedInput {
    entityName: String!
    projectName: String!
    runName: String!
    files: [String!]!
    clientMutationId: String
  }

  input DeleteFilesInput {
    files: [ID!]!
    projectId: Int
    clientMutationId: String
  }

  input NotifyScriptableRunAlertInput {
    entityName: String!
    projectName: String!
    runName: String!
    title: String!
    text: String!
    severity: AlertSeverity
    waitDuration: Duration
    clientMutationId: String
  }

  input CreateArtifactTypeInput {
    name: String!
    entityName: String!
    projectName: String!
    description: String
    clientMutationId: String
  }

  type CreateArtifactTypePayload {
    artifactType: ArtifactType!
  }

  input ArtifactAliasInput {
    artifactCollectionName: String!
    alias: String!
  }

  input TagInput {
    tagName: String!
    tagCategoryName: String
    attributes: JSONString
  }

  input CreateArtifactInput {
    entityName: String!
    projectName: String!
    runName: String
    artifactTypeName: String!
    artifactCollectionName: String
    # 0.19
    artifactCollectionNames: [String!]
    digest: String!
    digestAlgorithm: ArtifactDigestAlgorithm
    description: String
    labels: JSONString
    aliases: [ArtifactAliasInput!]
    tags: [TagInput!]
    metadata: JSONString
    ttlDurationSeconds: Int64
    historyStep: Int64
    enableDigestDeduplication: Boolean
    distributedID: String
    clientID: ID
    sequenceClientID: ID
    storageRegion: String
    clientMutationId: String
  }

  type CreateArtifactPayload {
    artifact: Artifact!
  }

  input CreateArtifactManifestInput {
    artifactID: ID!
    baseArtifactID: ID
    name: String!
    # The MD5 of the manifest in base64. Empty: not known yet.
    digest: String!
    entityName: String!
    projectName: String!
    runName: String!
    type: ArtifactManifestType
    clientMutationId: String
  }

  type CreateArtifactManifestPayload {
    artifactManifest: ArtifactManifest!
  }

  input UpdateArtifactManifestInput {
    artifactManifestID: ID!
    digest: String
    baseArtifactID: ID
    clientMutationId: String
  }

  type UpdateArtifactManifestPayload {
    artifactManifest: ArtifactManifest!
  }

  input CreateArtifactFilesInput {
    artifactFiles: [CreateArtifactFileSpecInput!]!
    storageLayout: ArtifactStorageLayout
    digestAlgorithm: ArtifactDigestAlgorithm
    cloudRegionID: ID
    clientMutationId: String
  }

  input CreateArtifactFileSpecInput {
    artifactID: ID!
    artifactManifestID: ID
    name: String!
    # In base64.
    md5: String!
    # 0.31: the same
    digest: String
    mimetype: String
    uploadPartsInput: [UploadPartsInput!]
    storageRegion: String
  }

  input UploadPartsInput {
    partNumber: Int64!
    hexMD5: String!
  }

  type CreateArtifactFilesPayload {
    files: FileConnection!
  }

  input CommitArtifactInput {
    artifactID: ID!
    clientMutationId: String
  }

  type CommitArtifactPayload {
    artifact: Artifact!
  }

  input UseArtifactInput {
    artifactID: ID!
    entityName: String!
    projectName: String!
    runName: String!
    usedAs: String
    artifactEntityName: String
    artifactProjectName: String
    clientMutationId: String
  }

  type UseArtifactPayload {
    artifact: Artifact!
  }

  input UpdateArtifactInput {
    artifactID: ID!
    description: String
    labels: JSONString
    metadata: JSONString
    ttlDurationSeconds: Int64
    tagsToAdd: [TagInput!]
    tagsToDelete: [TagInput!]
    # All aliases that it has from now on.
    aliases: [ArtifactAliasInput!]
    clientMutationId: String
  }

  type UpdateArtifactPayload {
    artifact: Artifact!
  }

  input LinkArtifactInput {
    artifactID: ID
    clientID: ID
    artifactPortfolioID: ID
    artifactPortfolioName: String
    entityName: String
    projectName: String
    aliases: [ArtifactAliasInput!]
    clientMutationId: String
  }

  type LinkArtifactPayload {
    versionIndex: Int
    artifactMembership: ArtifactCollectionMembership
  }

  input UnlinkArtifactInput {
    artifactID: ID!
    artifactPortfolioID: ID!
    clientMutationId: String
  }

  input ArtifactCollectionAliasInput {
    entityName: String!
    projectName: String!
    artifactCollectionName: String!
    alias: String!
  }

  input AddAliasesInput {
    artifactID: ID!
    aliases: [ArtifactCollectionAliasInput!]!
    clientMutationId: String
  }

  input DeleteAliasesInput {
    artifactID: ID!
    aliases: [ArtifactCollectionAliasInput!]!
    clientMutationId: String
  }

  input DeleteArtifactInput {
    artifactID: ID!
    deleteAliases: Boolean
    clientMutationId: String
  }

  type DeleteArtifactPayload {
    artifact: Artifact!
  }

  input UpdateArtifactSequenceInput {
    artifactSequenceID: ID!
    name: String
    description: String
    clientMutationId: String
  }

  input UpdateArtifactPortfolioInput {
    artifactPortfolioID: ID!
    name: String
    description: String
    clientMutationId: String
  }

  input MoveArtifactSequenceInput {
    artifactSequenceID: ID!
    destinationArtifactTypeName: String!
    clientMutationId: String
  }

  input DeleteArtifactSequenceInput {
    artifactSequenceID: ID!
    clientMutationId: String
  }

  input DeleteArtifactPortfolioInput {
    artifactPortfolioID: ID!
    clientMutationId: String
  }

  type CollectionPayload {
    artifactCollection: ArtifactCollection!
  }

  input CreateArtifactCollectionTagAssignmentsInput {
    entityName: String!
    projectName: String!
    artifactCollectionName: String!
    tags: [TagInput!]!
    clientMutationID: String
  }

  input DeleteArtifactCollectionTagAssignmentsInput {
    entityName: String!
    projectName: String!
    artifactCollectionName: String!
    tags: [TagInput!]!
    clientMutationID: String
  }

  type CollectionTagsPayload {
    tags: [Tag!]!
  }

  input ArtifactManifestEntryInput {
    name: String!
    digest: String!
    birthArtifactID: ID
    size: Int64
  }

  # Automations: 0.22 and later

  type Member {
    id: ID!
    admin: Boolean!
    pending: Boolean!
    email: String
    username: String!
    name: String!
    photoUrl: String
    accountType: String
    apiKey: String
  }

  interface Integration {
    id: ID!
  }

  type GenericWebhookIntegration implements Integration {
    id: ID!
    name: String!
    urlEndpoint: String!
  }

  type SlackIntegration implements Integration {
    id: ID!
    teamName: String!
    channelName: String!
  }

  enum TriggerScopeType {
    ARTIFACT_COLLECTION
    ENTITY
    PROJECT
  }

  enum EventTriggeringConditionType {
    ADD_ARTIFACT_ALIAS
    ADD_ARTIFACT_TAG
    ADD_COLLECTION_TAG
    CREATE_ARTIFACT
    LINK_MODEL
    REMOVE_ARTIFACT_TAG
    REMOVE_COLLECTION_TAG
    RUN_METRIC
    RUN_METRIC_CHANGE
    RUN_METRIC_ZSCORE
    RUN_STATE
    UNLINK_ARTIFACT
    UPDATE_ARTIFACT_ALIAS
    WEAVE_METRIC_THRESHOLD
  }

  enum TriggeredActionType {
    ARIA
    GENERIC_WEBHOOK
    NOTIFICATION
    NO_OP
    PUSH_NOTIFICATION
    QUEUE_JOB
  }

  type Trigger {
    id: ID!
    createdAt: DateTime!
    updatedAt: DateTime
    name: String!
    description: String
    enabled: Boolean!
    scope: TriggerScope!
    triggeringCondition: TriggeringCondition!
    triggeredAction: TriggeredAction!
  }

  union TriggerScope = ArtifactPortfolio | ArtifactSequence | Entity | Project
  union TriggeringCondition = FilterEventTriggeringCondition
  union TriggeredAction =
    | ARIATriggeredAction
    | GenericWebhookTriggeredAction
    | NoOpTriggeredAction
    | NotificationTriggeredAction
    | PushNotificationTriggeredAction
    | QueueJobTriggeredAction

  type FilterEventTriggeringCondition {
    eventType: EventTriggeringConditionType!
    # Conditions of events that are no runs are below another key: {"filter": …}.
    filter: JSONString!
  }

  type ARIATriggeredAction {
    prompt: String!
  }

  type GenericWebhookTriggeredAction {
    integration: Integration!
    requestPayload: JSONString
  }

  type NoOpTriggeredAction {
    noOp: Boolean
  }

  type NotificationTriggeredAction {
    integration: Integration!
    title: String
    message: String
    severity: AlertSeverity
  }

  type PushNotificationTriggeredAction {
    title: String
    body: String
  }

  type QueueJobTriggeredAction {
    queue: RunQueue
    template: JSONString!
  }

  type RunQueue {
    id: ID!
    name: String!
  }

  input GenericWebhookActionInput {
    integrationID: ID!
    requestPayload: JSONString
  }

  input NotificationActionInput {
    integrationID: ID!
    message: String
    severity: AlertSeverity
    title: String
  }

  input NoOpTriggeredActionInput {
    noOp: Boolean
  }

  input QueueJobActionInput {
    queueID: ID!
    template: JSONString!
  }

  input ARIAActionInput {
    prompt: String!
  }

  input PushNotificationActionInput {
    userID: ID!
    title: String
    body: String
  }

  input TriggeredActionConfig {
    ariaActionInput: ARIAActionInput
    genericWebhookActionInput: GenericWebhookActionInput
    noOpActionInput: NoOpTriggeredActionInput
    notificationActionInput: NotificationActionInput
    pushNotificationActionInput: PushNotificationActionInput
    queueJobActionInput: QueueJobActionInput
  }

  input CreateFilterTriggerInput {
    name: String!
    description: String
    enabled: Boolean!
    scopeType: TriggerScopeType!
    scopeID: ID!
    triggeringEventType: EventTriggeringConditionType!
    eventFilter: JSONString!
    triggeredActionType: TriggeredActionType!
    triggeredActionConfig: TriggeredActionConfig!
    clientMutationId: String
  }

  # What it leaves out stays.
  input UpdateFilterTriggerInput {
    id: ID!
    name: String
    description: String
    enabled: Boolean
    scopeType: TriggerScopeType
    scopeID: ID
    triggeringEventType: EventTriggeringConditionType
    eventFilter: JSONString
    triggeredActionType: TriggeredActionType
    triggeredActionConfig: TriggeredActionConfig
    clientMutationId: String
  }

  input DeleteTriggerInput {
    triggerID: ID!
    clientMutationId: String
  }

  type CreateFilterTriggerPayload {
    trigger: Trigger
  }

  type UpdateFilterTriggerPayload {
    trigger: Trigger
  }

  type DeleteTriggerPayload {
    success: Boolean!
  }

  input CreateGenericWebhookIntegrationInput {
    entityName: String!
    name: String!
    urlEndpoint: String!
    # Names of secrets of the team.
    accessTokenRef: String
    secretRef: String
    clientMutationId: String
  }

  type CreateGenericWebhookIntegrationPayload {
    integration: Integration!
  }
`.replaceAll(/type \w+Payload \{/g, '$&\n    clientMutationId: String')
