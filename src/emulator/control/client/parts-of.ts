/** The parameters of a path for what `entity/project/name` names, also after a scheme. */
export function partsOf(which: string) {
  const [entity = '', project = '', name = ''] = which.split('/').slice(-3)
  return { entity, project, run: name, artifact: name }
}
