// Package conform holds what is said and written against the schema, for the tests of other packages:
// [Watch] goes round a connection, and whatever the daemon says on it that is not of the schema fails
// the test.
package conform
