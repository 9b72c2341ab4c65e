package catalog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

// cellError is a cell that does not hold what its column promises.
type cellError struct {
	file   string
	line   int
	column string
	err    error
}

func (e *cellError) Error() string {
	return fmt.Sprintf("%s line %d, column %s: %v", e.file, e.line, e.column, e.err)
}

func (e *cellError) Unwrap() error { return e.err }

var (
	errEmpty     = errors.New("empty, or with spaces around")
	errPositive  = errors.New("not a positive whole number")
	errZero      = errors.New("zero")
	errUnknown   = errors.New("not a known value")
	errReference = errors.New("names no row")
	errDuplicate = errors.New("given twice")
	errDate      = errors.New("not a date such as 2026-07-20 or 2026-05")
	errTable     = errors.New("not the table it should be")
)

// row is one line of a table. Its readers note the first bad cell in err and go
// on, so that a caller looks at err once.
type row struct {
	file    string
	line    int
	columns []string
	cells   []string
	err     error
}

// withProvenance is the header of a table: its own columns, then those that end
// every table but that of the sources.
func withProvenance(columns ...string) []string {
	return append(slices.Clip(columns), "as_of", "verification", "source")
}

// readTable reads a CSV file whose header is exactly the given columns.
func readTable(fsys fs.FS, file string, columns []string) ([]*row, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open table: %w", err)
	}
	defer func() { _ = f.Close() }() // Nothing was written, so closing loses nothing.
	r := csv.NewReader(f)
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(records) < 2 || !slices.Equal(records[0], columns) {
		return nil, fmt.Errorf("%s: %w: want rows under %s", file, errTable, strings.Join(columns, ","))
	}
	rows := make([]*row, 0, len(records)-1)
	for i, cells := range records[1:] {
		rows = append(rows, &row{file: file, line: i + 2, columns: columns, cells: cells})
	}
	return rows, nil
}

func (r *row) fail(column string, err error) {
	if r.err == nil {
		r.err = &cellError{r.file, r.line, column, err}
	}
}

// optional is a cell that may be empty.
func (r *row) optional(column string) string {
	return r.cells[slices.Index(r.columns, column)]
}

// text is a cell that must hold something.
func (r *row) text(column string) string {
	s := r.optional(column)
	if s == "" || s != strings.TrimSpace(s) {
		r.fail(column, fmt.Errorf("%q: %w", s, errEmpty))
	}
	return s
}

// oneOf is a cell of a closed vocabulary.
func (r *row) oneOf(column string, values ...string) string {
	s := r.text(column)
	if !slices.Contains(values, s) {
		r.fail(column, fmt.Errorf("%q: %w", s, errUnknown))
	}
	return s
}

// count is a whole number above zero.
func (r *row) count(column string) int64 {
	s := r.text(column)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		r.fail(column, fmt.Errorf("%q: %w", s, errPositive))
	}
	return n
}

// gpus is a number of GPUs above zero, written as it will be shown.
func (r *row) gpus(column string) gpu.Fraction {
	s := r.text(column)
	f, err := gpu.ParseFraction(s)
	switch {
	case err != nil:
		r.fail(column, err)
	case f.IsZero():
		r.fail(column, errZero)
	case f.String() != s:
		r.fail(column, fmt.Errorf("%q: %w: write %s", s, errUnknown, f))
	}
	return f
}

// provenance reads the columns that end every table.
func (r *row) provenance(citations map[string]string) Provenance {
	asOf := r.text("as_of")
	if !isDate(asOf) {
		r.fail("as_of", fmt.Errorf("%q: %w", asOf, errDate))
	}
	verification := r.oneOf("verification", string(Read), string(Recalled))
	names := strings.Split(r.text("source"), " ")
	for i, name := range names {
		citation, ok := citations[name]
		if !ok {
			r.fail("source", fmt.Errorf("%q: %w", name, errReference))
		}
		names[i] = citation
	}
	return Provenance{AsOf: asOf, Verification: Verification(verification), Source: strings.Join(names, "; ")}
}

func isDate(s string) bool {
	_, dayErr := time.Parse(time.DateOnly, s)
	_, monthErr := time.Parse("2006-01", s)
	return dayErr == nil || monthErr == nil
}
