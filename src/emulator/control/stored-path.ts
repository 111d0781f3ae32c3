/** In the place of an entity and of a project: the newest thing with the name, wherever it is. */
const ANY = '-'

/** The parameters of a path for what `entity/project/name` names, also after a scheme, or for a name alone. */
export function partsOf(which: string): Record<'entity' | 'project' | 'run' | 'artifact', string> {
  const parts = which.includes('/') ? which.split('/').slice(-3) : [ANY, ANY, which]
  const [entity = '', project = '', name = ''] = parts
  return { entity, project, run: name, artifact: name }
}

/** What these parameters name: the path of a run or of an artifact, or its name alone. */
export function pathOf(
  { entity, project }: Readonly<Record<'entity' | 'project', string>>,
  name: string,
): string {
  return entity === ANY && project === ANY ? name : `${entity}/${project}/${name}`
}
