/** Whether `extends` names a file. The names of built-in scenarios have no slash and no extension. */
export function namesFile(parent: string): boolean {
  return (
    parent.includes('/') || parent.includes('\\') || /\.(?:ya?ml|json|[cm]?[jt]s)$/i.test(parent)
  )
}
