/** The parameters of a run or an artifact, from its path: `team/verse/poem`. */
export function partsOf<Last extends 'run' | 'artifact'>(
  path: string,
  last: Last,
): Record<'entity' | 'project' | Last, string> {
  const [entity = '', project = '', name = ''] = path.split('/')
  return { entity, project, [last]: name } as Record<'entity' | 'project' | Last, string>
}
