package screen

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/approvald/approvald/internal/inbox"
)

// Options say where and how the inbox is drawn.
type Options struct {
	In, Out *os.File // the terminal
	Environ []string // TERM, NO_COLOR and what else tells what the terminal can do
	Now     func() time.Time
	// Connect is called once; messages go to send until its end, and do carries out what
	// the inbox wants.
	Connect func(send func(inbox.Msg)) (Outside, error)
}

// Outside is where messages come from and effects go.
type Outside interface {
	// Run brings messages until ctx ends; an error ends the inbox.
	Run(ctx context.Context) error
	// Do carries out an effect, and returns the answer to it or nil.
	Do(ctx context.Context, effect inbox.Effect) inbox.Msg
	// Close ends what brings messages.
	Close() error
}

// Run draws the inbox until the person leaves it, the terminal is gone or ctx ends.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &drawing{ctx: ctx, model: inbox.New(), now: o.Now}
	program := tea.NewProgram(d, tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ))
	outside, err := o.Connect(func(msg inbox.Msg) { program.Send(brought{msg}) })
	if err != nil {
		return err
	}
	d.outside = outside
	// Not tea.WithContext, which ends without waiting for its reader of the terminal.
	context.AfterFunc(ctx, program.Quit)
	ended := make(chan error, 1)
	go func() {
		err := outside.Run(ctx)
		program.Quit()
		ended <- err
	}()
	_, err = program.Run()
	cancel()
	if errors.Is(err, tea.ErrInterrupted) {
		err = nil // as asked
	}
	closed := outside.Close()
	return errors.Join(err, <-ended, closed)
}

// brought is a message from outside.
type brought struct{ msg inbox.Msg }

// drawing is the model between its terminal and the outside.
type drawing struct {
	ctx     context.Context //nolint:containedctx // the program's life
	model   inbox.Model
	outside Outside
	now     func() time.Time
}

// everySecond has ages and deadlines move.
type everySecond struct{}

func second() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return everySecond{} }) }

// Init implements tea.Model.
func (d *drawing) Init() tea.Cmd { return second() }

// Update implements tea.Model.
func (d *drawing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return d.step(inbox.Key{Name: msg.String(), Text: msg.Text})
	case tea.PasteMsg:
		return d.step(inbox.Pasted{Text: msg.Content})
	case tea.WindowSizeMsg:
		return d.step(inbox.Resized{Width: msg.Width, Height: msg.Height})
	case everySecond:
		_, cmd := d.step(inbox.Tick{})
		return d, tea.Batch(cmd, second())
	case brought:
		return d.step(msg.msg)
	}
	return d, nil
}

func (d *drawing) step(msg inbox.Msg) (tea.Model, tea.Cmd) {
	model, effects := d.model.Update(msg, d.now())
	d.model = model
	var cmds []tea.Cmd
	for _, effect := range effects {
		cmds = append(cmds, d.carryOut(effect))
	}
	return d, tea.Batch(cmds...)
}

func (d *drawing) carryOut(effect inbox.Effect) tea.Cmd {
	switch effect.(type) {
	case inbox.Quit:
		return tea.Quit
	case inbox.Wake:
		return tea.Tick(inbox.ArmAfter, func(time.Time) tea.Msg { return brought{inbox.Tick{}} })
	}
	return func() tea.Msg {
		if answer := d.outside.Do(d.ctx, effect); answer != nil {
			return brought{answer}
		}
		return nil
	}
}

// View implements tea.Model.
func (d *drawing) View() tea.View {
	s := d.model.View()
	v := tea.NewView(render(s))
	v.AltScreen = true
	v.WindowTitle = "approvald inbox"
	if s.Cursor != nil {
		v.Cursor = tea.NewCursor(s.Cursor.X, s.Cursor.Y)
	}
	return v
}
