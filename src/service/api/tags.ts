/** The tag of the operations on runs and artifacts. The OpenAPI document of the service does not have them. */
export const PLATFORM_TAG = 'runs-and-artifacts'

/** The tag of the chats, on both hosts. */
export const CHAT_TAG = 'chat-completions'
