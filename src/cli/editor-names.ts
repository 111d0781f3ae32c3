/** The editors whose settings `scenarios schema --settings` writes. */
export const editorNames = ['vscode', 'jetbrains'] as const

export type Editor = (typeof editorNames)[number]
