/**
 * A node of the syntax tree, by its type. The library does not export its own declarations, and in them the type of a
 * node is any text.
 */
export type Node<Type extends keyof Parts = keyof Parts> = {
  readonly [T in Type]: { readonly type: T } & Readonly<Parts[T]>
}[Type]

type Nodes = readonly Node[]

/** A token of an operator. */
interface Operator {
  readonly value: string
}

/** The parts of the nodes that the parser makes, by their type. */
interface Parts {
  // Statements
  Break: object
  CallStatement: {
    call: Node<'CallExpression'>
    callerArgs: readonly Parameter[] | null
    body: Nodes
  }
  Comment: { value: string }
  Continue: object
  FilterStatement: { filter: Node; body: Nodes }
  For: {
    loopvar: Node<'Identifier' | 'TupleLiteral'>
    iterable: Node
    body: Nodes
    defaultBlock: Nodes
  }
  If: { test: Node; body: Nodes; alternate: Nodes }
  Macro: { name: Node<'Identifier'>; args: readonly Parameter[]; body: Nodes }
  /** With a body, its value is null. */
  Set: { assignee: Node; value: Node | null; body: Nodes }

  // Expressions. The text outside of tags is a `StringLiteral`, too.
  ArrayLiteral: { value: Nodes }
  BinaryExpression: { operator: Operator; left: Node; right: Node }
  CallExpression: { callee: Node; args: Nodes }
  /** Its filter is a name or a call, or what the parser wrongly takes for one: `value|filter(1).field`. */
  FilterExpression: { operand: Node; filter: Node }
  FloatLiteral: { value: number }
  Identifier: { value: string }
  IntegerLiteral: { value: number }
  MemberExpression: { object: Node; property: Node; computed: boolean }
  ObjectLiteral: { value: ReadonlyMap<Node, Node> }
  SelectExpression: { lhs: Node; test: Node }
  StringLiteral: { value: string }
  Ternary: { condition: Node; trueExpr: Node; falseExpr: Node }
  TestExpression: { operand: Node; negate: boolean; test: Node<'Identifier'> }
  TupleLiteral: { value: Nodes }
  UnaryExpression: { operator: Operator; argument: Node }

  // What only calls and brackets have
  KeywordArgumentExpression: { key: Node<'Identifier'>; value: Node }
  KeywordSpreadExpression: { argument: Node }
  SliceExpression: { start: Node | undefined; stop: Node | undefined; step: Node | undefined }
  SpreadExpression: { argument: Node }
}

/** A parameter of a macro, with its default if it has one. */
type Parameter = Node<'Identifier' | 'KeywordArgumentExpression'>
