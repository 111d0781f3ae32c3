/** The most values of a metric that an automation compares. Each step reads all of them. */
export const MOST_COMPARED = 1000
